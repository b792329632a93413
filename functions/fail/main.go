// Command fail is the Lambda function that records why an import could not be finished.
package main

import "github.com/loadbay/loadbay/shared/wire"

func main() { wire.Run(wire.Fail) }
