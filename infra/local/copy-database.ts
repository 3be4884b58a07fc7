// Copies a database of the local store, for a test that restores one.

import { type Document, MongoClient } from "mongodb";

/** Copies every document with the types of its numbers; its result puts the copy in place. */
export async function copyDatabase(url: string, name: string): Promise<() => Promise<void>> {
  const copy = new Map<string, readonly Document[]>();
  await using client = new MongoClient(url);
  const database = client.db(name);
  for (const { collectionName } of await database.collections()) {
    copy.set(collectionName, await database.collection(collectionName).find({}, { promoteValues: false }).toArray());
  }
  return () => restoreDatabase(url, name, copy);
}

/** No document of the copy is missing at any moment, because services would begin from nothing. */
async function restoreDatabase(url: string, name: string, copy: ReadonlyMap<string, readonly Document[]>): Promise<void> {
  await using client = new MongoClient(url);
  const database = client.db(name);
  for (const { collectionName } of await database.collections()) {
    const collection = database.collection(collectionName);
    const documents = copy.get(collectionName) ?? [];
    for (const document of documents) await collection.replaceOne({ _id: document["_id"] }, document, { upsert: true });
    await collection.deleteMany({ _id: { $nin: documents.map(({ _id }) => _id) } });
  }
}
