import { expect, test } from 'vitest'
import { NOTHING } from '../../../src/domain/media-buy/delivery.ts'
import { playableImpressions, presentMetrics } from '../../../src/domain/media-buy/present-metrics.ts'

const video = { ...NOTHING, impressions: 1000, views: 900, completedViews: 800 }
const banner = { ...NOTHING, impressions: 600 }

test('banners beside a video do not lower its completion rate', () => {
  const total = { ...video, impressions: 1600 }
  const playable = playableImpressions([{ total: video }, { total: banner }])
  expect(presentMetrics(total, playable)).toMatchObject({ impressions: 1600, completion_rate: 0.8 })
  expect(presentMetrics(video)).toMatchObject({ completion_rate: 0.8 })
})
