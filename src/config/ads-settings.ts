/** How pages reach the embedded ad server, and what they can be asked by. */
export interface AdsSettings {
  /** Origin without a trailing slash. */
  readonly publicUrl?: string
  readonly host: string
  /** A port of its own; absent: below `/ads` of the main one. */
  readonly port?: number
  /** Names of headers in which a proxy of the publisher says where a visitor is. */
  readonly countryHeader?: string
  readonly regionHeader?: string
  /** Whether files of creatives are fetched, checked and served from here, or stay where buyers put them; absent: hosted in production. */
  readonly creativeFiles?: 'hosted' | 'linked'
  /** Whether files of buyers' creatives are fetched and checked before a creative is approved; absent: in production. */
  readonly examineFiles?: boolean
  /** File with a database of places of addresses (MaxMind DB format). */
  readonly geoDatabase?: string
  /** IANA name; dayparts are hours of this zone. */
  readonly timeZone: string
  /** What one address may send in a window. */
  readonly decisionsPerAddress: number
  readonly eventsPerAddress: number
  readonly windowSeconds: number
  /** Most that the spool of events may take on the disk. */
  readonly spoolMegabytes: number
}

/** Whether files of buyers' creatives are seen before they are approved. In development, creatives often name files that do not exist. */
export function examinesFiles({
  ads,
  mode,
}: {
  readonly ads: AdsSettings
  readonly mode: 'production' | 'development'
}): boolean {
  return ads.examineFiles ?? mode === 'production'
}

/** Origin under which pages reach the ad server. `origin` is that of the main port. */
export function adsOrigin({ publicUrl, host, port }: AdsSettings, origin: string): string {
  if (publicUrl !== undefined) return publicUrl
  return port === undefined ? origin : `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
