import { largeJsonIn } from '../../platform/decode/foreign-json.ts'
import { isObject } from '../../protocol/is-object.ts'
import type { BackendSetup } from '../backend-setup.ts'
import { AdServerRefusal } from '../refusal.ts'

type Json = Readonly<Record<string, unknown>>

/** Calls one HTTP API with our credentials. */
export interface UpstreamApi {
  /** The answer to a GET; undefined for 404. */
  find(path: string): Promise<Json | undefined>
  send(method: 'POST' | 'PATCH', path: string, body: Json): Promise<Json>
}

interface ApiParts extends Pick<BackendSetup, 'call' | 'credentials'> {
  readonly at: { readonly url: string; readonly network: string }
  /** Member of the credentials that holds the key. */
  readonly key: 'apiKey' | 'creativesApiKey'
}

/**
 * The API at an address. 400, 404 (of a change), 409 and 422 are refusals and become AdServerRefusal with the API's words; every other status that is no
 * success is an outage.
 */
export function upstreamApi({ call, credentials, at, key }: ApiParts): UpstreamApi {
  const request = async (method: 'GET' | 'POST' | 'PATCH', path: string, body?: Json) => {
    const token = (await credentials())?.[key]
    if (typeof token !== 'string' || token === '')
      throw new Error(`no ${key} is stored; sales-agent adservers credentials NAME --file with {"${key}": "…"}`)
    const answer = await call(`${at.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'x-network-code': at.network,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: await readBody(answer.body) }
  }
  return {
    async find(path) {
      const { status, body } = await request('GET', path)
      if (status === 404) return undefined
      if (status === 200 && body) return body
      throw new Error(`GET ${path} answered ${status}${messageOf(body)}`)
    },
    async send(method, path, body) {
      const answer = await request(method, path, body)
      if (answer.status >= 200 && answer.status < 300 && answer.body) return answer.body
      const message = `${method} ${path} answered ${answer.status}${messageOf(answer.body)}`
      if (!REFUSALS.includes(answer.status)) throw new Error(message)
      throw new AdServerRefusal('INVALID_REQUEST', message, wordsOf(answer.body) ?? `it answers ${answer.status}`)
    },
  }
}

const REFUSALS = [400, 404, 409, 422]

async function readBody(bytes: Buffer): Promise<Json | undefined> {
  const value = await largeJsonIn(bytes.toString('utf8'))
  return isObject(value) ? value : undefined
}

function messageOf(body: Json | undefined): string {
  const words = wordsOf(body)
  return words === undefined ? '' : `: ${words}`
}

function wordsOf(body: Json | undefined): string | undefined {
  return typeof body?.message === 'string' ? body.message.slice(0, 300) : undefined
}
