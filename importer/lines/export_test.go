package lines

// What the tests in lines_test see besides the exported names.

var ParseExecution = parseExecution
