package intercept

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/s3"
)

// resign signs a request with a replaced body as the administrator:
// the function's own signature covers the original body.
func resign(r *http.Request, body []byte) error {
	_, credential, found := strings.Cut(r.Header.Get("Authorization"), "Credential=")
	scope := strings.Split(credential, "/")
	if !found || len(scope) < 4 {
		return errors.New("the request is not signed")
	}
	sum := sha256.Sum256(body)
	credentials := aws.Credentials{AccessKeyID: s3.AccessKey, SecretAccessKey: s3.SecretKey}
	return v4.NewSigner().SignHTTP(r.Context(), credentials, r, hex.EncodeToString(sum[:]), scope[3], scope[2], time.Now())
}
