/** What an ad unit of an ad server was asked for and showed on a day of the ad server's time zone, whoever sold it. */
export interface UnitDay {
  /** The ad server's own id. */
  readonly unitId: string
  readonly unitName: string
  /** `YYYY-MM-DD`. */
  readonly day: string
  readonly requests: number
  /** Requests without an ad. */
  readonly unfilled: number
  readonly impressions: number
  readonly viewableImpressions: number
  readonly clicks: number
  readonly completedViews: number
}

export interface UnitReport {
  readonly rows: readonly UnitDay[]
  /** Of its days, as IANA names it. */
  readonly timeZone: string
  /** What the report goes on with; absent: it is whole. */
  readonly next?: string
}
