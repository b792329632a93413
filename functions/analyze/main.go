// Command analyze is the Lambda function that finds out what a file is and matches its columns.
package main

import "github.com/loadbay/loadbay/shared/wire"

func main() { wire.Run(wire.Analyze) }
