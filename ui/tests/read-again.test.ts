import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, test } from "vitest";

import { readAgain } from "../src/api/read-again";

test("an answer that was under way before a change does not stand after it", async () => {
  const client = new QueryClient();
  const answers: ((text: string) => void)[] = [];
  const queryFn = () => new Promise<string>((resolve) => answers.push(resolve));
  const observer = new QueryObserver(client, { queryKey: ["log"], queryFn });
  observer.subscribe(() => undefined);
  const done = readAgain(client);
  await expect.poll(() => answers.length).toBe(2);
  answers[0]!("before");
  answers[1]!("after");
  await done;
  expect(observer.getCurrentResult().data).toBe("after");
  client.clear();
});
