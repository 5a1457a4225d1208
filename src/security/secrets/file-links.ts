import { createHmac, timingSafeEqual } from 'node:crypto'

/** Addresses of files that need no credentials for a while. */
export interface FileLinks {
  /** The query of the files of one report until a moment, Unix seconds. */
  sign(resourceRef: string, expires: number): string
  /** Whether a query was signed for the files of this report, and has not expired. */
  isValid(resourceRef: string, query: URLSearchParams, now: Date): boolean
}

/** HMAC-SHA256 over the report and the end, under the first of the keys; those of all are taken. Nothing of a query says more than that. */
export function createFileLinks(keys: () => readonly string[]): FileLinks {
  const signature = (key: string, resourceRef: string, expires: string) =>
    createHmac('sha256', key).update(`${resourceRef}\n${expires}`).digest('base64url')
  return {
    sign(resourceRef, expires) {
      const [key] = keys()
      if (key === undefined) throw new Error('the deployment has no secret')
      return `expires=${expires}&signature=${signature(key, resourceRef, String(expires))}`
    },
    isValid(resourceRef, query, now) {
      const [expires = '', sent = ''] = [query.get('expires') ?? '', query.get('signature') ?? '']
      if (!/^\d{10}$/.test(expires) || Number(expires) * 1_000 <= now.getTime()) return false
      return keys().some((key) => isEqual(signature(key, resourceRef, expires), sent))
    },
  }
}

function isEqual(expected: string, sent: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(sent)]
  return a.length === b.length && timingSafeEqual(a, b)
}
