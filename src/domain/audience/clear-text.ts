import { atOnce, type Steps } from '../../platform/concurrency/steps.ts'
import { AdcpError } from '../../protocol/errors.ts'

/** Names under which systems keep what identifies a person in the clear; compared without case and separators. */
const PERSONAL_NAMES: ReadonlySet<string> = new Set([
  'email',
  'emailaddress',
  'mail',
  'phone',
  'phonenumber',
  'mobile',
  'mobilenumber',
  'telephone',
  'firstname',
  'lastname',
  'fullname',
  'surname',
  'givenname',
  'familyname',
  'address',
  'street',
  'streetaddress',
  'birthdate',
  'dateofbirth',
  'dob',
  'ssn',
  'passport',
])

/** SHA-256 of nothing: what a pipeline sends that hashes empty cells. */
const HASH_OF_NOTHING = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** E.164 with its plus sign; bare digits may as well be a customer number. */
const PHONE = /^\+[\d\s().-]{7,20}$/

/** Where a value stands, as text only when it is refused: thousands of members are looked at for one that is. */
interface Place {
  readonly within: Place | string
  readonly name: string
  readonly inList: boolean
}

/**
 * Refuses personal data in the clear anywhere in `value`: only hashed identifiers are taken (AdCP core/audience-member.json, core/user-match.json).
 * Throws VALIDATION_ERROR naming the field, never the value. `except` names fields that may hold such data by design.
 */
export function refuseClearText(value: unknown, field: string, except: ReadonlySet<string> = new Set()): void {
  atOnce(searchClearText(value, field, except))
}

/** As {@link refuseClearText}, in steps of an object or list each: an upload may have tens of thousands. */
export function* searchClearText(value: unknown, at: Place | string, except: ReadonlySet<string>): Steps<void> {
  if (typeof value === 'string') {
    const fault = faultOf(value)
    if (fault) throw refusal(at, fault)
    return
  }
  if (typeof value !== 'object' || value === null) return
  yield
  const inList = Array.isArray(value)
  for (const [name, inner] of Object.entries(value)) {
    if (except.has(name)) continue
    const place = { within: at, name, inList }
    if (!inList && isPersonal(name)) throw refusal(place, 'holds personal data in the clear, which is not taken')
    yield* searchClearText(inner, place, except)
  }
}

function isPersonal(name: string): boolean {
  return PERSONAL_NAMES.has(name.toLowerCase().replaceAll(/[^a-z]/g, ''))
}

function refusal(place: Place | string, fault: string): AdcpError {
  const field = pathOf(place)
  return new AdcpError('VALIDATION_ERROR', `${field} ${fault}`, { field, suggestion: HOW })
}

function pathOf(place: Place | string): string {
  if (typeof place === 'string') return place
  const { within, name, inList } = place
  return `${pathOf(within)}${inList ? `[${name}]` : `.${name}`}`
}

const HOW = 'send hashed_email (SHA-256 of the trimmed address in lower case) and hashed_phone (SHA-256 of the E.164 number)'

/** Whether there is text on both sides of an `@`, with a dot inside that on the right. Each part between two `@` is examined once. */
function holdsMailAddress(text: string): boolean {
  if (!text.includes('@')) return false
  const parts = text.split('@')
  return parts.some((part, index) => {
    const before = parts[index - 1]?.at(-1)
    if (before === undefined || before.trim() === '') return false
    const space = part.search(/\s/)
    const host = space < 0 ? part : part.slice(0, space)
    return host.slice(1, -1).includes('.')
  })
}

function faultOf(text: string): string | undefined {
  if (holdsMailAddress(text)) return 'holds a mail address in the clear, which is not taken'
  if (PHONE.test(text.trim())) return 'holds a phone number in the clear, which is not taken'
  return text === HASH_OF_NOTHING ? 'is the hash of an empty text' : undefined
}
