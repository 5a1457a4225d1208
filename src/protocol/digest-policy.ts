import { compareLines } from './release-version.ts'

/** Whether signatures of requests with a body have to, may or must not cover `content-digest`. */
export type DigestPolicy = 'required' | 'either' | 'forbidden'

/**
 * What holds for calls of a release line (`3.1`): from 3.2 on, and for publishers that ask for signatures of 3.2 everywhere, the digest is always covered,
 * whatever the operator chose for the releases before (AdCP "Signed requests", body integrity).
 */
export function digestPolicyIn(line: string, profile: '3.0' | '3.1' | '3.2', chosen: DigestPolicy): DigestPolicy {
  return profile === '3.2' || compareLines(line, '3.2') >= 0 ? 'required' : chosen
}
