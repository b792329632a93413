// Package conformance holds the tests of the local AWS endpoint from outside:
// through the clients of aws-sdk-go-v2, over HTTP, with expectations taken from
// AWS's documents. Each test starts an endpoint of its own in this process; the
// kill tests start one in a process of its own and kill it.
//
// With AWS_ENDPOINT_URL set, the tests run against that endpoint
// instead, in resources that they create and delete: moto, LocalStack, or AWS
// itself. Differences seen in moto 5.2 are listed in testdata/moto.txt.
package conformance
