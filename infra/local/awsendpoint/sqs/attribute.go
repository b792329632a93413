package sqs

import (
	"crypto/md5"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"maps"
	"slices"
	"strings"
)

// Attribute is a value that a sender attached to a message in addition to its body.
type Attribute struct {
	// DataType is String, Number or Binary, optionally with a suffix (".int").
	DataType    string
	StringValue *string `json:",omitempty"`
	BinaryValue []byte  `json:",omitempty"`
}

// maxAttributes is the limit per message, as on AWS.
const maxAttributes = 10

// checkAttributes rejects attributes that SQS rejects or that this service does not support.
func checkAttributes(attributes map[string]Attribute) error {
	if len(attributes) > maxAttributes {
		return invalidValue("MessageAttributes", len(attributes), "Number of message attributes exceeds the allowed maximum [10]")
	}
	for name, a := range attributes {
		kind, _, _ := strings.Cut(a.DataType, ".")
		binaryKind := kind == "Binary"
		if name == "" || !binaryKind && kind != "String" && kind != "Number" {
			return invalidValue("MessageAttributes", name, "The type must be String, Number or Binary")
		}
		if binaryKind && len(a.BinaryValue) == 0 || !binaryKind && (a.StringValue == nil || *a.StringValue == "") {
			return invalidValue("MessageAttributes", name, "The message attribute must contain a non-empty value of its type")
		}
	}
	return nil
}

// attributesSize returns the number of bytes that attributes add to a message's size.
func attributesSize(attributes map[string]Attribute) (size int) {
	for name, a := range attributes {
		size += len(name) + len(a.DataType) + len(a.BinaryValue)
		if a.StringValue != nil {
			size += len(*a.StringValue)
		}
	}
	return size
}

// attributesMD5 returns the MD5 of the attributes, which SDKs verify. It covers, sorted by
// name, each name, type and value with its length, and a byte for the kind of value.
// It is "" without attributes.
// Source: "Calculating the MD5 message digest for message attributes" in the developer guide.
func attributesMD5(attributes map[string]Attribute) string {
	if len(attributes) == 0 {
		return ""
	}
	sum := md5.New()
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		a := attributes[name]
		writeSized(sum, []byte(name))
		writeSized(sum, []byte(a.DataType))
		if a.StringValue != nil {
			sum.Write([]byte{1})
			writeSized(sum, []byte(*a.StringValue))
		} else {
			sum.Write([]byte{2})
			writeSized(sum, a.BinaryValue)
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func writeSized(sum hash.Hash, value []byte) {
	sum.Write(binary.BigEndian.AppendUint32(nil, uint32(len(value))))
	sum.Write(value)
}

// selectAttributes returns the attributes that a receiver requested: "All" or ".*",
// "prefix.*", or by name.
func selectAttributes(attributes map[string]Attribute, names []string) map[string]Attribute {
	chosen := make(map[string]Attribute)
	for name, a := range attributes {
		if slices.ContainsFunc(names, func(want string) bool { return matchesSelector(name, want) }) {
			chosen[name] = a
		}
	}
	return chosen
}

func matchesSelector(name, want string) bool {
	if prefix, ok := strings.CutSuffix(want, ".*"); ok {
		return strings.HasPrefix(name, prefix)
	}
	return want == "All" || want == name
}

func md5Of(body string) string {
	sum := md5.Sum([]byte(body))
	return hex.EncodeToString(sum[:])
}
