// Command purge is the Lambda function that deletes imports and exports that are kept no longer.
package main

import "github.com/loadbay/loadbay/shared/wire"

func main() { wire.Run(wire.Purge) }
