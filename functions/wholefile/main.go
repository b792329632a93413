// Command wholefile is the Lambda function that imports a file whose rows depend on each other.
package main

import "github.com/loadbay/loadbay/shared/wire"

func main() { wire.Run(wire.WholeFile) }
