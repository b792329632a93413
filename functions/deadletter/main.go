// Command deadletter is the Lambda function that gives the rows of an undeliverable chunk an outcome.
package main

import "github.com/loadbay/loadbay/shared/wire"

func main() { wire.Run(wire.DeadLetter) }
