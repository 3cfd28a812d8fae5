package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"
)

// plugin is a network plugin (CNI 0.4.0) that asks the API server for the Pod before anything else, as several do. What
// comes after that it has not: a Pod gets no network of it.
func plugin() {
	switch os.Getenv("CNI_COMMAND") {
	case "VERSION":
		fmt.Println(`{"cniVersion":"0.4.0","supportedVersions":["0.3.1","0.4.0"]}`)
	case "ADD":
		var conf struct{ Server string }
		err := json.NewDecoder(os.Stdin).Decode(&conf)
		if err == nil {
			err = ask(conf.Server + "/api/v1/pods")
		}
		said, _ := json.Marshal(map[string]any{"cniVersion": "0.4.0", "code": 11, "msg": fmt.Sprintf("error getting pod: %v", err)})
		fmt.Println(string(said))
		os.Exit(1)
	}
}

// ask sends a request, whoever answers it.
func ask(url string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	return fmt.Errorf("%s", answer.Status)
}
