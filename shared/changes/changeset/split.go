package changeset

// What a part holds if there is more than one: few enough changes that a page of them is
// read quickly, and few enough bytes that long texts do not fill the memory.
const (
	targetPartChanges = 5_000
	targetPartBytes   = 4 << 20
)

// Split divides changes into parts, in their order. A change with longer values than a
// part holds is a part of its own.
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

// encodedSize is about how many bytes the change has when it is encoded.
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

// encodedSize is about how many bytes the changes have when they are encoded.
func encodedSize(changes []Change) (n int) {
	for i := range changes {
		n += changes[i].encodedSize()
	}
	return n
}
