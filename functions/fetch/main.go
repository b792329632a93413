// Command fetch is the Lambda function that gets the file of an import from the address that its caller named.
package main

import "github.com/loadbay/loadbay/shared/wire"

func main() { wire.Run(wire.Fetch) }
