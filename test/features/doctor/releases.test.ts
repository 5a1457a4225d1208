import { expect, it } from 'vitest'
import { examineReleases } from '../../../src/features/doctor/releases.ts'

it('doctor names a missing release with what to do', () => {
  expect(examineReleases(['3.0.6', '3.1.27', '3.2.4'], [], '')).toEqual({
    check: 'releases',
    outcome: 'ok',
    text: 'AdCP 3.0.6, 3.1.27, 3.2.4',
  })
  expect(examineReleases(['3.0.6'], ['3.1', '3.2'], 'build them')).toMatchObject({
    outcome: 'warning',
    text: 'AdCP 3.0.6; 3.1 and 3.2 missing: buyers of 3.1 and 3.2 are answered in an older release',
    advice: 'build them',
  })
})
