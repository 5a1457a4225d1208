import type { TransportCredentials } from '../security/auth/transport-credentials.ts'
import { namesCredential } from './credential-names.ts'
import { holdsCredential, secretsIn, withSpellings } from './credential-values.ts'

/** Longer texts are cut: people read the beginning. */
const MOST_BYTES = 64 * 1024
/** Characters of one text that are looked at: what is shown, and so much of what follows that a credential which the cut would divide is whole. */
const MOST_OF_TEXT = MOST_BYTES + 17_000
/** Bytes around each value: a line break, and a comma or a bracket. */
const AROUND = 2

/** Members that hold identifiers of people or devices (core/user-match.json, media-buy/sync-audiences-request.json), hashed ones too. */
const PERSONAL = new Set([
  'email',
  'phone',
  'hashed_email',
  'hashed_phone',
  'uids',
  'user_match',
  'user_id',
  'external_id',
  'click_id',
  'client_ip',
  'client_user_agent',
  'ip_address',
  'device_id',
])

const REDACTED = '[redacted]'

/**
 * A value as indented JSON without credentials and identifiers of people, in UTF-8 of at most 64 kB. What would come after that is not looked at: a name of
 * each member is searched for those of credentials, which takes much longer than reading it.
 */
export function recordedText(value: unknown, credentials: TransportCredentials): Buffer {
  const spellings = withSpellings(secretsIn(credentials))
  const isPrivate = rememberingNames()
  let written = 0
  const text =
    JSON.stringify(
      value,
      (name, member: unknown) => {
        if (written > MOST_BYTES) return undefined
        written += name.length + AROUND
        if (name !== '' && isPrivate(name)) return REDACTED
        if (typeof member !== 'string') return member
        const text = member.slice(0, MOST_OF_TEXT)
        if (holdsCredential(text, spellings, 'nothing')) return REDACTED
        written += text.length
        return text
      },
      2,
    ) ?? ''
  const bytes = Buffer.from(text)
  return bytes.length <= MOST_BYTES ? bytes : Buffer.concat([bytes.subarray(0, MOST_BYTES), Buffer.from('\n[cut]')])
}

/** Looks at each name, and at each of their letters, once for a text: the letters of other scripts are what takes long. */
function rememberingNames(): (name: string) => boolean {
  const known = new Map<string, boolean>()
  const letters = new Map<string, string>()
  return (name) => {
    const before = known.get(name)
    if (before !== undefined) return before
    const isPrivate = PERSONAL.has(name) || namesCredential(name, letters)
    known.set(name, isPrivate)
    return isPrivate
  }
}
