// Package conformance tests the local AWS endpoint from outside: through the
// clients of aws-sdk-go-v2, over HTTP, with expectations from AWS's
// documentation. Each test starts its own endpoint in this process; the kill
// tests start one in a separate process and kill it.
//
// With AWS_ENDPOINT_URL set, the tests run against that endpoint
// instead, with resources that they create and delete: moto, LocalStack, or AWS
// itself. Differences found in moto 5.2 are listed in testdata/moto.txt.
package conformance
