// Command drop is the Lambda function that starts the import of an object that has arrived in the bucket.
package main

import "github.com/loadbay/loadbay/shared/wire"

func main() { wire.Run(wire.Drop) }
