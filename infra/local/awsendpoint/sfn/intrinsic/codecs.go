package intrinsic

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
)

// maxText is the most characters that the coding functions take.
const maxText = 10000

func text(value any) (string, error) {
	s, ok := value.(string)
	if !ok {
		return "", errors.New("the argument must be a string")
	}
	if len(s) > maxText {
		return "", fmt.Errorf("the string is longer than %d characters", maxText)
	}
	return s, nil
}

func base64Encode(args []any) (any, error) {
	s, err := text(args[0])
	if err != nil {
		return nil, err
	}
	return base64.StdEncoding.EncodeToString([]byte(s)), nil
}

func base64Decode(args []any) (any, error) {
	s, err := text(args[0])
	if err != nil {
		return nil, err
	}
	plain, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return nil, errors.New("the string is not Base64")
	}
	return string(plain), nil
}

// hash digests a string, or the JSON text of anything else.
func hash(args []any) (any, error) {
	data := []byte(display(args[0]))
	if len(data) > maxText {
		return nil, fmt.Errorf("the data is longer than %d characters", maxText)
	}
	var sum []byte
	switch args[1] {
	case "MD5":
		s := md5.Sum(data)
		sum = s[:]
	case "SHA-1":
		s := sha1.Sum(data)
		sum = s[:]
	case "SHA-256":
		s := sha256.Sum256(data)
		sum = s[:]
	case "SHA-384":
		s := sha512.Sum384(data)
		sum = s[:]
	case "SHA-512":
		s := sha512.Sum512(data)
		sum = s[:]
	default:
		return nil, fmt.Errorf("there is no algorithm %s", display(args[1]))
	}
	return hex.EncodeToString(sum), nil
}
