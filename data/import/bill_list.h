/* Formats of bills, one row each, asked in this order; see data/bill.h. */
X(rackrate)
X(focus)
X(aws_cur)
X(azure)
X(aliyun)
