import type { Conversion } from '../../domain/event/event.ts'
import { forEachChunk } from '../chunks.ts'
import type { Db } from '../database.ts'

/** Credits events to packages; the same event from a second source counts once. */
export async function insertConversions(tx: Db, tenantId: string, conversions: readonly Conversion[]): Promise<void> {
  const rowOf = (conversion: Conversion) => ({
    tenant_id: tenantId,
    media_buy_id: conversion.mediaBuyId,
    package_id: conversion.packageId,
    event_type: conversion.eventType,
    event_key: conversion.eventKey,
    event_source_id: conversion.eventSourceId,
    day: conversion.day,
    value_micros: conversion.valueMicros ?? null,
    content_ids: JSON.stringify(conversion.contentIds),
  })
  await forEachChunk(conversions, (chunk) =>
    tx
      .insertInto('conversions')
      .values(chunk.map(rowOf))
      .onConflict((c) => c.doNothing())
      .execute(),
  )
}
