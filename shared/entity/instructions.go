package entity

// InstructionsSheet is the name of the sheet that explains the columns of a template.
const InstructionsSheet = "Instructions"

// InstructionsHeader returns the header of that sheet, by which a filled template is recognised.
func InstructionsHeader() []string { return []string{"Column", "Required", "Allowed values"} }
