import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalUrl, MalformedUrl } from '../../../src/domain/canonical-url.ts'
import { SignatureError } from '../../../src/security/signing/challenge.ts'
import { REQUEST_PROFILE, type SignatureAlgorithm, WEBHOOK_PROFILE } from '../../../src/security/signing/profile.ts'
import { type ReceivedMessage, verifySignature } from '../../../src/security/signing/verify.ts'
import { NOW, sent, testAgent, verifier } from './harness.ts'

const URL_SENT = 'https://seller.example.com:8443/t/one/mcp?b=2&a=%2f+1'
const BODY = Buffer.from('{"method":"tools/call","params":{"name":"create_media_buy","arguments":{"budget":1000}}}')
const ALGORITHMS: SignatureAlgorithm[] = ['ed25519', 'ecdsa-p256-sha256']

/** Replaces byte `index` by another of the same header alphabet or of all bytes. */
function changed(text: string, index: number, byte: number): string {
  return text.slice(0, index) + String.fromCharCode(byte) + text.slice(index + 1)
}

/** Every place of a text with another byte there, round by round: each place at least once, and at least a hundred changes. */
async function changeEach(text: string, check: (changedText: string) => Promise<void>): Promise<void> {
  const { length } = text
  const bytes = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: length, maxLength: length, size: 'max' })
  const round = fc.asyncProperty(fc.noBias(bytes), async (drawn) => {
    for (const [index, byte] of drawn.entries()) if (byte !== text.charCodeAt(index)) await check(changed(text, index, byte))
  })
  await fc.assert(round, { numRuns: Math.ceil(100 / length) })
}

async function refusal(message: ReceivedMessage, options: ReturnType<typeof verifier>): Promise<string> {
  const outcome = await verifySignature(message, NOW, options).catch((error: unknown) => error)
  return outcome instanceof SignatureError ? 'refused' : `not refused: ${JSON.stringify(outcome ?? String(outcome))}`
}

function withHeader(message: ReceivedMessage, name: string, change: (value: string) => string): ReceivedMessage {
  const rawHeaders = [...message.rawHeaders]
  const at = rawHeaders.findIndex((entry, i) => i % 2 === 0 && entry === name) + 1
  rawHeaders[at] = change(rawHeaders[at]!)
  return { ...message, rawHeaders }
}

describe.each(ALGORITHMS)('every single-byte change of a request signed with %s is refused', (algorithm) => {
  const agent = testAgent(algorithm)
  const options = { ...verifier(REQUEST_PROFILE, agent.jwk) }
  const signed = sent({ method: 'POST', url: URL_SENT, body: BODY }, agent.signer, REQUEST_PROFILE)

  it('and the unchanged request is accepted', async () => {
    expect(await verifySignature(await signed, NOW, verifier(REQUEST_PROFILE, agent.jwk))).toMatchObject({ keyid: agent.jwk.kid })
  })

  it('method', async () => {
    const message = await signed
    await changeEach(message.method, async (method) => expect(await refusal({ ...message, method }, options)).toBe('refused'))
  })

  it('url, except into another spelling of the same canonical URL', async () => {
    const message = await signed
    const { targetUri } = canonicalUrl(URL_SENT)
    await changeEach(URL_SENT, async (url) => {
      if (canonicalOrNot(url) === targetUri) return
      expect(await refusal({ ...message, url }, options)).toBe('refused')
      // Without a Host header to compare with, the signature alone has to catch it.
      expect(await refusal({ ...message, url, rawHeaders: message.rawHeaders.slice(2) }, options)).toBe('refused')
    })
  })

  it.each(['Content-Type', 'Content-Digest', 'Signature-Input', 'Signature', 'Host'])('header %s', async (name) => {
    const message = await signed
    const value = message.rawHeaders[message.rawHeaders.indexOf(name) + 1]!
    await changeEach(value, async (text) => {
      if (text.trim() === value) return
      // RFC 3986 §3.2.2: a host name has no case.
      if (name === 'Host' && text.toLowerCase() === value) return
      expect(
        await refusal(
          withHeader(message, name, () => text),
          options,
        ),
      ).toBe('refused')
    })
  })

  it('body', async () => {
    const message = await signed
    await fc.assert(
      fc.asyncProperty(fc.nat(BODY.length - 1), fc.integer({ min: 1, max: 255 }), async (index, mask) => {
        const body = Buffer.from(BODY)
        body[index] = body[index]! ^ mask
        expect(await refusal({ ...message, body }, options)).toBe('refused')
      }),
    )
  })

  it('one byte more or less in the body', async () => {
    const message = await signed
    for (const body of [BODY.subarray(1), BODY.subarray(0, -1), Buffer.concat([BODY, Buffer.from(' ')]), Buffer.alloc(0)]) {
      expect(await refusal({ ...message, body }, options)).toBe('refused')
    }
  })

  it('a header dropped or sent twice', async () => {
    const { rawHeaders, ...rest } = await signed
    for (let i = 0; i < rawHeaders.length; i += 2) {
      const [name = '', value = ''] = rawHeaders.slice(i, i + 2)
      expect(await refusal({ ...rest, rawHeaders: [...rawHeaders, name.toLowerCase(), value] }, options)).toBe('refused')
      if (name === 'Host') continue
      expect(await refusal({ ...rest, rawHeaders: rawHeaders.toSpliced(i, 2) }, options)).toBe('refused')
    }
  })
})

/** Every position and every other byte, exhaustively, where the text is short enough for that. */
describe('exhaustive change of the Signature value', () => {
  it('each byte to each other printable character is refused', async () => {
    const agent = testAgent('ed25519', 'webhook-signing')
    const options = verifier(WEBHOOK_PROFILE, agent.jwk)
    const message = await sent({ method: 'POST', url: URL_SENT, body: BODY }, agent.signer, WEBHOOK_PROFILE)
    const value = message.rawHeaders.at(-1)!
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=:;,"'
    for (let index = 0; index < value.length; index++) {
      // The last characters of the token are where spare bits could hide; the rest is sampled.
      const tries = index > value.length - 4 ? alphabet : alphabet.slice(index % 50, (index % 50) + 3)
      for (const character of tries) {
        if (character === value[index]) continue
        const tampered = withHeader(message, 'Signature', (text) => text.slice(0, index) + character + text.slice(index + 1))
        expect(await refusal(tampered, options)).toBe('refused')
      }
    }
  })
})

function canonicalOrNot(url: string): string | undefined {
  try {
    return canonicalUrl(url).targetUri
  } catch (error) {
    if (error instanceof MalformedUrl) return undefined
    throw error
  }
}
