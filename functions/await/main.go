// Command await is the Lambda function that keeps the token of a waiting state, or answers it when there is nothing left to wait for.
package main

import "github.com/loadbay/loadbay/shared/wire"

func main() { wire.Run(wire.Await) }
