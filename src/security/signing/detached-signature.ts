import { JOSE_NAMES } from './jose-algorithms.ts'
import type { Signer } from './sign.ts'

/** A JWS in compact form without its payload (RFC 7515, appendix F): the payload is the UTF-8 text itself, which is sent beside it. */
export async function detachedSignature(text: string, signer: Signer): Promise<string> {
  const header = Buffer.from(JSON.stringify({ alg: JOSE_NAMES[signer.algorithm], kid: signer.keyid })).toString('base64url')
  const input = `${header}.${Buffer.from(text).toString('base64url')}`
  const signature = Buffer.from(await signer.sign(Buffer.from(input))).toString('base64url')
  return `${header}..${signature}`
}
