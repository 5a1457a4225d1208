import type { Conversion } from '../../domain/event/event.ts'
import type { EventType } from '../../domain/event/event-type.ts'
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

/** Conversions of media buys, in the order of their days. */
export async function listConversions(db: Db, tenantId: string, mediaBuyIds: readonly string[]): Promise<Conversion[]> {
  if (mediaBuyIds.length === 0) return []
  const rows = await db
    .selectFrom('conversions')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('media_buy_id', 'in', mediaBuyIds)
    .orderBy('day')
    .orderBy('event_key')
    .execute()
  return rows.map((row) => ({
    mediaBuyId: row.media_buy_id,
    packageId: row.package_id,
    // Written from a validated request.
    eventType: row.event_type as EventType,
    eventKey: row.event_key,
    eventSourceId: row.event_source_id,
    day: row.day,
    ...(row.value_micros !== null && { valueMicros: Number(row.value_micros) }),
    contentIds: JSON.parse(row.content_ids),
  }))
}
