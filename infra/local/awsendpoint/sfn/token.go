package sfn

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/interp"
)

// signer makes and reads task tokens. A token says whose it is and is signed,
// so that no index of tokens is needed and nobody can make one up: start of
// the execution (8 bytes), attempt (8), signature (16), key of the execution.
type signer struct{ key []byte }

const signatureLength = 16

// tokenClaims is what a token says.
type tokenClaims struct {
	key     string // of the execution
	started int64  // distinguishes executions that had the same name
	attempt int64
}

func (s signer) token(x *interp.Execution, attempt int64) string {
	return s.encode(tokenClaims{key: executionKey(x), started: x.Started.UnixNano(), attempt: attempt})
}

func (s signer) encode(p tokenClaims) string {
	head := binary.BigEndian.AppendUint64(nil, uint64(p.started))
	head = binary.BigEndian.AppendUint64(head, uint64(p.attempt))
	signed := append(head, s.sign(head, p.key)...)
	return base64.StdEncoding.EncodeToString(append(signed, p.key...))
}

// read returns what a token says, and whether this signer made it.
func (s signer) read(token string) (tokenClaims, bool) {
	data, err := base64.StdEncoding.DecodeString(token)
	if err != nil || len(data) < 16+signatureLength {
		return tokenClaims{}, false
	}
	p := tokenClaims{
		started: int64(binary.BigEndian.Uint64(data)),
		attempt: int64(binary.BigEndian.Uint64(data[8:])),
		key:     string(data[16+signatureLength:]),
	}
	return p, hmac.Equal(data[16:16+signatureLength], s.sign(data[:16], p.key))
}

func (s signer) sign(head []byte, key string) []byte {
	mac := hmac.New(sha256.New, s.key)
	mac.Write(head)
	mac.Write([]byte(key))
	return mac.Sum(nil)[:signatureLength]
}
