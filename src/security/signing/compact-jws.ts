import { adcpName } from './jose-algorithms.ts'
import type { Signer } from './sign.ts'

/** Any claims as a compact JWS (RFC 7515 §3.1). `typ` of the header says what they are. Throws TypeError for a key of another algorithm. */
export async function compactJws(header: { readonly typ: string }, claims: object, signer: Signer): Promise<string> {
  const alg = adcpName(signer.algorithm)
  const input = [{ alg, kid: signer.keyid, ...header }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const signature = await signer.sign(Buffer.from(input, 'ascii'))
  return `${input}.${Buffer.from(signature).toString('base64url')}`
}
