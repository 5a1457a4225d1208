/** What a report is about (AdCP 3.2, core/reporting-coverage.json): every package is counted, so that it is always whole. */
export function coverageOf(mediaBuyIds: readonly string[], packageIds: readonly string[], evaluatedAt: string) {
  return {
    status: 'full' as const,
    evaluated_at: evaluatedAt,
    media_buy_ids: [...mediaBuyIds],
    fully_covered_media_buy_ids: [...mediaBuyIds],
    partially_covered_media_buy_ids: [],
    unsupported_media_buy_ids: [],
    unknown_media_buy_ids: [],
    package_ids: [...packageIds],
    covered_package_ids: [...packageIds],
    unsupported_package_ids: [],
    unknown_package_ids: [],
    limitations: [],
  }
}
