package sfn

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/interp"
)

// signer creates and reads task tokens. A token identifies its execution and attempt and
// is signed, so that tokens need no index and cannot be forged: start of the execution
// (8 bytes), attempt (8), signature (16), key of the execution.
type signer struct{ key []byte }

const signatureLength = 16

// tokenClaims is the content of a token.
type tokenClaims struct {
	key     string // execution key
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

// read returns the content of a token and reports whether this signer created it.
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
