package changeset

// The limits of a part if the changes need more than one: few enough changes to read a page
// quickly, and few enough bytes that long texts do not fill the memory.
const (
	targetPartChanges = 5_000
	targetPartBytes   = 4 << 20
)

// Split divides changes into parts and keeps their order. A change that exceeds the size
// of a part becomes a part of its own.
func Split(changes []Change) [][]Change {
	var parts [][]Change
	first, size := 0, 0
	for i := range changes {
		s := changes[i].encodedSize()
		if i > first && (i-first == targetPartChanges || size+s > targetPartBytes) {
			parts = append(parts, changes[first:i])
			first, size = i, 0
		}
		size += s
	}
	if first < len(changes) {
		parts = append(parts, changes[first:])
	}
	return parts
}

// encodedSize estimates the encoded size of the change in bytes.
func (c *Change) encodedSize() int {
	n := len(c.ID) + 32
	for _, values := range [][]*string{c.Before, c.After} {
		for _, v := range values {
			if v != nil {
				n += len(*v)
			}
		}
	}
	return n
}

// encodedSize estimates the encoded size of the changes in bytes.
func encodedSize(changes []Change) (n int) {
	for i := range changes {
		n += changes[i].encodedSize()
	}
	return n
}
