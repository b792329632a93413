// Command complete is the Lambda function that checks that every row is accounted for and ends the job.
package main

import "github.com/loadbay/loadbay/shared/wire"

func main() { wire.Run(wire.Complete) }
