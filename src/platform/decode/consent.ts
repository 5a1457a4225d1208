import { ConsentUndecodable } from './consent-bits.ts'
import { type GppString, readGppString, readUsPrivacy } from './gpp-string.ts'
import { readTcString, type TcString } from './tc-string.ts'

/** What a page or a publisher says of a user's consent. */
export interface Consent {
  readonly gdpr?: boolean
  /** TC string (IAB TCF 2). */
  readonly tcf?: string
  /** GPP string (IAB GPP 1.1). */
  readonly gpp?: string
  /** US Privacy string (IAB CCPA 1.0). */
  readonly usPrivacy?: string
}

/** The same, read. What cannot be read says nothing, and is named. */
export interface ReadConsent {
  readonly gdpr?: boolean
  readonly tcf?: TcString
  readonly gpp?: GppString
  /** Whether the US Privacy string has an opt-out. */
  readonly usPrivacy?: boolean
  /** Strings that cannot be read, with the reason, which repeats nothing of them. */
  readonly undecodable: ReadonlyMap<'tcf' | 'gpp' | 'usPrivacy', string>
}

/** Characters of a string of consent. Those of consent platforms have some hundreds, with every vendor of the list of 2025 in ranges two thousand. */
export const LONGEST_CONSENT = 8192

/** Reads what is said of consent, in time linear in what was sent and up to {@link LONGEST_CONSENT} characters of each string. */
export function readConsent({ gdpr, tcf, gpp, usPrivacy }: Consent): ReadConsent {
  const undecodable = new Map<'tcf' | 'gpp' | 'usPrivacy', string>()
  const read = <T>(name: 'tcf' | 'gpp' | 'usPrivacy', text: string | undefined, reader: (text: string) => T): T | undefined => {
    if (text === undefined) return undefined
    try {
      if (text.length > LONGEST_CONSENT) throw new ConsentUndecodable(`it has more than ${LONGEST_CONSENT} characters`)
      return reader(text)
    } catch (error) {
      if (!(error instanceof ConsentUndecodable)) throw error
      undecodable.set(name, error.message)
      return undefined
    }
  }
  const values = { tcf: read('tcf', tcf, readTcString), gpp: read('gpp', gpp, readGppString) }
  const optsOut = read('usPrivacy', usPrivacy, readUsPrivacy)
  return {
    ...(gdpr !== undefined && { gdpr }),
    ...(values.tcf && { tcf: values.tcf }),
    ...(values.gpp && { gpp: values.gpp }),
    ...(optsOut !== undefined && { usPrivacy: optsOut }),
    undecodable,
  }
}
