// Command export is the Lambda function that writes the rows of a type to a file.
package main

import "github.com/loadbay/loadbay/shared/wire"

func main() { wire.Run(wire.Export) }
