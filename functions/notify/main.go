// Command notify is the Lambda function that tells an organisation's webhook what became of an import.
package main

import "github.com/loadbay/loadbay/shared/wire"

func main() { wire.Run(wire.Notify) }
