package job

// ProfileID is the uuid of a profile. No profile has the id "".
type ProfileID string

// ParseProfileID is ParseID for profiles.
func ParseProfileID(text string) (ProfileID, error) { return parseUUID[ProfileID](text) }

// UsedProfile is the version of a profile that a job uses.
type UsedProfile struct {
	ID      ProfileID // "" once the profile is deleted
	Name    string    // its name at that time
	Version int
	Choice  ProfileChoice
}

// ProfileChoice is how the profile of a job was chosen.
type ProfileChoice string

// The choices of profiles, as on the wire.
const (
	ChosenByName        ProfileChoice = "NAME"        // the import's creator named it
	ChosenByFolder      ProfileChoice = "DROP_FOLDER" // by the drop folder of the file
	ChosenByFingerprint ProfileChoice = "FINGERPRINT" // by an exact match of the file's headers
)
