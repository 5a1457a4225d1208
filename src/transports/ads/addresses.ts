import type { EventKind } from '../../ad-serving/house/line.ts'

/** Addresses of the embedded ad server, below one origin. Tokens are base64url and stand in a URL as they are. */
export interface AdAddresses {
  readonly origin: string
  event(token: string, kind: EventKind): string
  click(token: string): string
  frame(token: string): string
}

export function adAddresses(origin: string): AdAddresses {
  return {
    origin,
    event: (token, kind) => `${origin}/ads/e/${kind}?t=${token}`,
    click: (token) => `${origin}/ads/click?t=${token}`,
    frame: (token) => `${origin}/ads/frame?t=${token}`,
  }
}
