// Command stream is the Lambda function that streams exports through its own address.
package main

import "github.com/loadbay/loadbay/shared/wire"

func main() { wire.Run(wire.Stream) }
