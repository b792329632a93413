// Command split is the Lambda function that cuts a file into chunks of rows and queues them.
package main

import "github.com/loadbay/loadbay/shared/wire"

func main() { wire.Run(wire.Split) }
