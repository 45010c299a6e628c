# tests/cli/console.awk - run the commands of a document's console blocks and print the document with what they say.
#
#   awk -f tests/cli/console.awk README.md | diff README.md -
#
# In a block that begins with ```console, a line "$ COMMAND" is run by sh (standard error included) and what stood below it, up to the next "$ " or
# the end of the block, is replaced by what the command printed. All else is passed on.
/^```console$/ { print; block = 1; next }
/^```$/ { block = 0; print; next }
block && /^\$ / {
    print
    command = "{ " substr($0, 3) "; } 2>&1 </dev/null"
    while ((command | getline line) > 0) print line
    close(command)
    next
}
block { next }
{ print }
