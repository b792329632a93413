// Command process is the Lambda function that writes one chunk of rows to the database, exactly once.
package main

import "github.com/loadbay/loadbay/shared/wire"

func main() { wire.Run(wire.Process) }
