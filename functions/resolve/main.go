// Command resolve is the Lambda function that finds the entities that the file's values stand for.
package main

import "github.com/loadbay/loadbay/shared/wire"

func main() { wire.Run(wire.Resolve) }
