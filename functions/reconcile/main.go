// Command reconcile is the Lambda function that finishes or reports whatever is stuck.
package main

import "github.com/loadbay/loadbay/shared/wire"

func main() { wire.Run(wire.Reconcile) }
