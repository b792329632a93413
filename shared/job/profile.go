package job

// ProfileID is the uuid of a profile. No profile has the id "".
type ProfileID string

// ParseProfileID is ParseID for profiles.
func ParseProfileID(text string) (ProfileID, error) { return parseUUID[ProfileID](text) }

// UsedProfile is the version of a profile by which a job's file is read.
type UsedProfile struct {
	ID      ProfileID // "" once the profile is deleted
	Name    string    // as it was called then
	Version int
	Choice  ProfileChoice
}

// ProfileChoice says who chose the profile of a job.
type ProfileChoice string

// The choices of profiles, as on the wire.
const (
	ChosenByName        ProfileChoice = "NAME"        // whoever made the import named it
	ChosenByFolder      ProfileChoice = "DROP_FOLDER" // the folder that the file was dropped in
	ChosenByFingerprint ProfileChoice = "FINGERPRINT" // the file's headers, exactly
)
