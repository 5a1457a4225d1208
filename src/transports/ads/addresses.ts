import { type EventKind, HOSTED } from '../../ad-serving/embedded/line.ts'

/** Addresses of the embedded ad server, below one origin. Tokens are base64url and stand in a URL as they are. */
export interface AdAddresses {
  readonly origin: string
  event(token: string, kind: EventKind): string
  click(token: string): string
  frame(token: string): string
  /** The address of a file of a creative: of a hosted one here, any other as it is. */
  file(tenantId: string, url: string): string
  /** What the paths of an HTML5 bundle follow. */
  bundle(tenantId: string, bundleId: string): string
}

export function adAddresses(origin: string): AdAddresses {
  return {
    origin,
    event: (token, kind) => `${origin}/ads/e/${kind}?t=${token}`,
    click: (token) => `${origin}/ads/click?t=${token}`,
    frame: (token) => `${origin}/ads/frame?t=${token}`,
    file: (tenantId, url) => (url.startsWith(HOSTED) ? `${origin}/ads/files/${tenantId}/${url.slice(HOSTED.length)}` : url),
    bundle: (tenantId, bundleId) => `${origin}/ads/files/${tenantId}/${bundleId}/`,
  }
}
